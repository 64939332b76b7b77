/** Where who forgot a password has a link sent. */
export const forgottenPath = '/sign-in/forgotten'

/** Where a link leads that sets a password. */
export const resetPath = '/sign-in/reset'
