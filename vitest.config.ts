import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

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
