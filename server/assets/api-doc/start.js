/* Paints the page in the reader's colours before it is shown, then starts Swagger UI. */
'use strict'
const dark = matchMedia('(prefers-color-scheme: dark)')
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
paint()
dark.addEventListener('change', paint)

// Swagger UI resolves the whole description for every part that is opened, which takes seconds. So it is given that
// part alone, with what the part refers to.
const partFor = (description, path) => {
  const { securitySchemes } = description.components
  const part = { ...description, paths: {}, components: { securitySchemes } }
  const take = ([key, ...more], from, to) => {
    if (from[key] === undefined) return
    if (more.length > 0) return take(more, from[key], (to[key] ??= {}))
    to[key] = from[key]
    follow(from[key])
  }
  const follow = (value) => {
    if (value === null || typeof value !== 'object') return
    const reference = typeof value.$ref === 'string' ? value.$ref.slice('#/'.length).split('/') : []
    const [top, kind, name] = reference
    if (top === 'components' && part.components[kind]?.[name] === undefined)
      take(reference, description, part)
    for (const one of Object.values(value)) follow(one)
  }
  take(path, description, part)
  return part
}
// Swagger UI fills in every example, and the form of the token endpoint has the parameters of every grant. Optional
// parameters get an empty example, so that nobody has to empty them.
const unfilled = (description) => {
  const copy = structuredClone(description)
  for (const { requestBody } of Object.values(copy.paths).flatMap(Object.values)) {
    const form = requestBody?.content?.['application/x-www-form-urlencoded']?.schema
    for (const [name, property] of Object.entries(form?.properties ?? {}))
      if (!form.required?.includes(name)) property.examples = ['']
  }
  return copy
}
const onlyWhatIsOpened = ({ fn: { resolveSubtree } }) => ({
  fn: {
    resolveSubtree: (description, path, options) =>
      resolveSubtree(unfilled(partFor(description, path)), path, options),
  },
})
// Name and version stand at the top of the page, and there is one server.
const shorterTop = () => ({
  wrapComponents: {
    InfoContainer:
      (Info, { React: { createElement } }) =>
      (props) =>
        createElement(
          'details',
          { className: 'about' },
          createElement('summary', null, 'What holds for every request'),
          createElement(Info, props),
        ),
    ServersContainer: () => () => null,
  },
})

addEventListener('DOMContentLoaded', () => {
  const { client, scopes } = element('doc').dataset
  const page = SwaggerUIBundle({
    url: new URL('doc.json', location.href).href,
    oauth2RedirectUrl: redirectUri(),
    // The service does not read it, and at another origin would have to allow it.
    requestInterceptor: (request) => {
      delete request.headers['X-Requested-With']
      return request
    },
    dom_id: '#doc',
    deepLinking: true,
    validatorUrl: null,
    defaultModelsExpandDepth: 0,
    presets: [SwaggerUIBundle.presets.apis],
    plugins: [onlyWhatIsOpened, shorterTop, signingIn],
    onComplete: () => offerSignIn(page),
  })
  const clientId = isOffered() ? client : ''
  page.initOAuth({ clientId, scopes, usePkceWithAuthorizationCodeGrant: true })
})
