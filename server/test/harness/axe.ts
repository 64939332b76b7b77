/** What axe finds on a page. In the page, `window` is theirs: tests compile for Node and know no DOM. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

// Half as long as `axe.source`: each page reads it anew.
export const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Brings axe into the page as it stands, which the policy of the page would not let in by itself. */
export async function bringAxe(page: Page): Promise<void> {
  await page.evaluate(source)
}

/** What axe says against the page as it stands. */
export async function axeFindings(
  page: Page,
  rules: object = { rules: { 'target-size': { enabled: true } } },
): Promise<string[]> {
  const look = `typeof axe === 'undefined' ? null :
    axe.run(${JSON.stringify({ resultTypes: ['violations'], ...rules })}).then(({ violations }) =>
      violations.flatMap((v) => v.nodes.map((node) => v.id + ': ' + node.target + ' ' + node.failureSummary)))`
  // Asked in one go: a page may load again after it was looked at.
  for (;;) {
    const found = await page.evaluate<string[] | null>(look)
    if (found !== null) return found
    await bringAxe(page)
  }
}
