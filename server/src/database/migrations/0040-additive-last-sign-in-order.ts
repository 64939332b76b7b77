/** additive: people, everywhere and at a place, in the order of their last sign-in. */
export const indexes = {
  users_last_sign_in: 'users (active, last_sign_in_on, email_key)',
  members_last_sign_in: 'members (place_uuid, active, last_sign_in_on, email_key)',
}
