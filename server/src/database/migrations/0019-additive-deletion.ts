/** additive: an index by which the few are found who are to be removed. A process of the version before removes nobody. */
export const indexes = {
  users_deletion_at: 'users (deletion_at) where deletion_at is not null',
}
