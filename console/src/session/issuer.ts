/** The address of the service, as the page says: an origin, or a path below one. */

/** `/auth`; empty where the issuer is an origin. */
export const path = document.documentElement.dataset.path ?? ''

export const issuer = `${location.origin}${path}`
