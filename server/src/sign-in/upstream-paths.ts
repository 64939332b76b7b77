/** The page where people type the name and password of their organisation's directory. */
export const directoryPath = '/sign-in/directory'
/** The page that asks for the code from a mail. */
export const guestPath = '/sign-in/guest'
/** The page of an organisation that has several upstreams. */
export const organisationPath = '/sign-in/organisation'
