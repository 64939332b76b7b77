/** A column that is true or false, in both databases. */
export type Flag = 0 | 1
