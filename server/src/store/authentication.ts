/** How and when a person proved who they are (OpenID Connect Core 1.0 §2). `authTime` in epoch milliseconds. */
export interface Authentication {
  authTime: number
  acr: string
  amr: readonly string[]
}
