import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { isSlow } from './scripts/slow-files.ts'

/** First the files that take longest, so that none of them is left alone at the end. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = ({ moduleId }: TestSpecification) => (isSlow(moduleId) ? 0 : 1)
    return (await super.sort(files)).toSorted((a, b) => order(a) - order(b))
  }
}

export default defineConfig({
  test: {
    include: ['**/test/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    globalSetup: ['server/test/harness/global-setup.ts'],
    setupFiles: ['server/test/harness/random.ts'],
    pool: 'forks',
    execArgv: [
      '--require',
      fileURLToPath(new URL('server/test/harness/test-process.cjs', import.meta.url)),
      // Nearly all code runs a few times only: to optimise it early took a fifth of the CPU. Later Node has no such flag.
      ...(process.version.startsWith('v20.') ? ['--interrupt-budget=1000000'] : []),
    ],
    // One more than two cores: some tests wait for most of their time.
    maxWorkers: 3,
    sequence: { sequencer: SlowFirst },
    // What files import stays loaded and compiled: a fifth of the time went into doing that anew for each.
    isolate: false,
    // Generous: a busy machine must fail no test. What has to be quick says so itself.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // The service is tested as it is built: its worker threads are files of dist.
    server: { deps: { external: [/\/dist\//] } },
  },
})
