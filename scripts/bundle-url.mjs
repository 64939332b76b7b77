/** What `import.meta.url` is in the bundle, which is no module. */
import { pathToFileURL } from 'node:url'

export const __bundleUrl = pathToFileURL(__filename).href
