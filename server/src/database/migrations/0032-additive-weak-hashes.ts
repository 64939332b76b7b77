/** additive: finds the weak hashes that an import wrapped, by the day from which on they do not count. */
export const indexes = {
  users_weak_hash: "users (substr(password_hash, 7, 10), uuid) where substr(password_hash, 1, 6) = '$weak$'",
}
