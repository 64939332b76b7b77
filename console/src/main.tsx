import { MantineProvider } from '@mantine/core'
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { Refusal } from './api/client.ts'
import { chosenLanguage, loadMessages, Speaking } from './messages/messages.tsx'
import { routerFor } from './routes.tsx'
import { Away } from './session/authorization.ts'
import { begin } from './session/session.ts'
import { meQuery } from './shared/me.ts'
import { Refused } from './shared/state.tsx'
import { theme } from './theme/theme.js'
import './theme/styles.ts'

/** What is read is tried again while the service is away, when it says so; what is written waits for a click. */
const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: askAgainWhoIAm }),
  mutationCache: new MutationCache({ onError: askAgainWhoIAm }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (count, error) => count < 4 && (!(error instanceof Refusal) || error.status === 503),
      retryDelay: (count, error) =>
        error instanceof Refusal || error instanceof Away ? error.retryAfter * 1000 : 500 * 2 ** count,
    },
    // Fails at once without a connection, and is not made by itself when that is back.
    mutations: { retry: false, networkMode: 'always' },
  },
})

/** A permission may have been taken meanwhile: the menu and the buttons follow. */
function askAgainWhoIAm(error: unknown): void {
  if (error instanceof Refusal && error.status === 403) void queries.invalidateQueries(meQuery)
}

const language = chosenLanguage()
document.documentElement.lang = language
const page = createRoot(document.getElementById('root') ?? document.body)
const words = await loadMessages(language)
// The library's own style elements are forbidden by Trusted Types: the build wrote them into a file.
const around = (inside: React.ReactNode) => (
  <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
    <Speaking language={language} words={words}>
      <QueryClientProvider client={queries}>{inside}</QueryClientProvider>
    </Speaking>
  </MantineProvider>
)

async function show(): Promise<void> {
  try {
    await begin()
    await queries.fetchQuery(meQuery)
    page.render(around(<RouterProvider router={routerFor(queries)} />))
  } catch (error) {
    page.render(around(<Refused error={error} retry={() => void show()} />))
  }
}
await show()
