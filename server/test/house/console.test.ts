/** The folders of console/src, and which may import which: its views stay apart, and load when they are opened. */
import { expect, it } from 'vitest'
import { importsOf, read, resolved, sourceFiles } from './support.ts'

const home = 'console/src/'
/** What is no view. Files beside the folders put them together. */
const folders: Record<string, readonly string[]> = {
  session: [],
  messages: [],
  theme: [],
  api: ['session'],
  shared: ['api', 'messages', 'theme'],
  shell: ['session', 'api', 'messages', 'shared', 'theme'],
}
const ofViews = ['shared', 'api', 'messages', 'theme']
const together = ['main.tsx', 'routes.tsx']

const folderOf = (path: string): string => path.slice(home.length).split('/')[0] ?? ''

function problemsOf(file: string, source: string): string[] {
  return importsOf(source).flatMap(({ from }) => {
    if (!from.startsWith('.')) return []
    const target = resolved(file, from)
    if (!target.startsWith(home))
      return [`${file} imports ${from}: the console knows the service by HTTP alone.`]
    const [own, other] = [folderOf(file), folderOf(target)]
    const isView = folders[other] === undefined && !together.includes(other)
    if (together.includes(own)) {
      const late = source.includes(`import('${from}')`)
      const wrong = isView && !(own === 'routes.tsx' && late)
      return wrong ? [`${file} imports ${target}: only routes.tsx names views, each by import().`] : []
    }
    const may = folders[own] ?? ofViews
    if (own === other || may.includes(other)) return []
    return [
      `${file} imports ${target}: ${own}/ may import ${may.join(', ')}. Move what both need to shared/.`,
    ]
  })
}

it('lets its folders import only what the table allows', () => {
  const files = sourceFiles('console/src')
  expect(files.flatMap((file) => importsOf(read(file))).length).toBeGreaterThan(100)
  expect(files.flatMap((file) => problemsOf(file, read(file)))).toEqual([])
})

it.each([
  ['people/person.tsx', "import { Link } from '../applications/application.tsx'", 'to shared/'],
  ['shared/list.tsx', "import { Shell } from '../shell/shell.tsx'", 'shared/ may import api'],
  ['shared/list.tsx', "import { signOut } from '../session/session.ts'", 'shared/ may import api'],
  ['session/session.ts', "import { api } from '../api/client.ts'", 'session/ may import'],
  ['people/person.tsx', "import { signOut } from '../session/session.ts'", 'people/ may import shared'],
  ['routes.tsx', "import { Person } from './people/person.tsx'", 'each by import()'],
  ['main.tsx', "const late = import('./people/person.tsx')", 'only routes.tsx names views'],
  ['api/client.ts', "import { x } from '../../../server/src/settings.ts'", 'by HTTP alone'],
])('tells them apart: %s with %s', (file, source, problem) => {
  expect(problemsOf(`${home}${file}`, source)).toEqual([expect.stringContaining(problem)])
})
