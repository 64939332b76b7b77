/** How an answer travels to the client. `fragment` is none of them: a code does not belong there. */
export const responseModes = ['query', 'form_post'] as const

/** The target of the answer to an authorization request: a client and redirect_uri that were checked. */
export interface RedirectTarget {
  redirectUri: string
  state: string | undefined
  /** Undefined: by the query. */
  responseMode?: 'form_post' | undefined
  uiLocales?: string | undefined
  /** The trial that is told what came of it. */
  trial?: string | undefined
}

export function targetOf({
  redirectUri,
  parameters,
}: {
  redirectUri: string
  parameters: Omit<RedirectTarget, 'redirectUri'>
}): RedirectTarget {
  const { state, responseMode, uiLocales, trial } = parameters
  return { redirectUri, state, responseMode, uiLocales, trial }
}
