/** How an answer travels to the client. `fragment` is none of them: a code does not belong there. */
export const responseModes = ['query', 'form_post'] as const

/** The target of the answer to an authorization request: a client and redirect_uri that were checked. */
export interface RedirectTarget {
  redirect_uri: string
  state: string | undefined
  /** Undefined: by the query. */
  responseMode?: 'form_post' | undefined
  uiLocales?: string | undefined
  /** The trial that is told what came of it. */
  trial?: string | undefined
}

export function targetOf({
  redirect_uri,
  parameters,
}: {
  redirect_uri: string
  parameters: Omit<RedirectTarget, 'redirect_uri'>
}): RedirectTarget {
  const { state, responseMode, uiLocales, trial } = parameters
  return { redirect_uri, state, responseMode, uiLocales, trial }
}
