/** The page that mails a link to a person who forgot a password. */
export const forgottenPath = '/sign-in/forgotten'

/** The page of a link that sets a password. */
export const resetPath = '/sign-in/reset'
