/** `npm run bench` takes a first look; `npm run bench -- NAME …` runs one: bench/README.md says what there is. */
const benches: Readonly<Record<string, () => Promise<unknown>>> = {
  profile: async () => (await import('./speed/profile.ts')).profile(),
  'first-look': () => import('./first-look.ts'),
  races: () => import('./races/run.ts'),
  crash: () => import('./crash/run.ts'),
  pressure: async () => (await import('./pressure.ts')).pressure(),
  bounded: async () => (await import('./bounded.ts')).bounded(),
  guard: async () => (await import('./guard.ts')).guard(),
  hostile: async () => (await import('./hostile.ts')).hostile(),
}

const [, , name = 'first-look'] = process.argv
const bench = benches[name]
if (bench === undefined) {
  process.stderr.write(`There is no bench ${name}: ${Object.keys(benches).join(', ')}.\n`)
  process.exitCode = 1
} else {
  // What follows the name is the bench's own.
  process.argv.splice(2, 1)
  await bench()
}
