/** Whether a page holds what is on it, and how people make their text larger. In the page, `window` is theirs. */
import type { Page } from 'playwright-core'

/** By how much the page scrolls sideways, px. */
export const overflow = (page: Page) =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')

/** Elements whose text is wider than they are. A field may scroll its own value. */
export const clippedText = (page: Page) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('h1, h2, p, li, dd, label, legend, button, code, bdi')]
       .filter((e) => getComputedStyle(e).display !== 'inline')
       .filter((e) => e.scrollWidth > e.clientWidth + 1)
       .map((e) => e.outerHTML.slice(0, 200))`,
  )

/** Opens what is folded. */
export const unfold = (page: Page) =>
  page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")

/** Text at 200%. */
export const enlarge = (page: Page) => page.evaluate("document.documentElement.style.fontSize = '200%'")

/** The spacing of WCAG 1.4.12. A style sheet made by a script is none of the policy's business. */
export const spaceOut = (page: Page) =>
  page.evaluate(`(() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(
      '* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important }' +
      'p { margin-bottom: 2em !important }')
    document.adoptedStyleSheets.push(sheet)
  })()`)
