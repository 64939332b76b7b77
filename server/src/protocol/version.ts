/** The version of the product; its packages have the same. */
export const version = '0.1.0'
