/** What people meet: every page in every state, in a real browser, under the policy it is served with. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { locales } from '../../dist/pages/messages/index.js'
import { axeFindings } from '../harness/axe.ts'
import { names, pagesInChromium, phone } from './in-chromium.ts'
import { clippedText, enlarge, overflow, spaceOut, unfold } from './page-fits.ts'

const otherLocales = locales.filter((locale) => locale !== 'en' && locale !== 'de')
/** Of the states of a page the first: `password`, and not `password-wrong`. */
const oneOfEachKind = names.filter(
  (name, index) => !names.slice(0, index).some((earlier) => name.startsWith(`${earlier}-`)),
)

const { running, withPage, eachPage } = pagesInChromium()

const focused = (page: Page) =>
  page.evaluate<string>(
    '(({ activeElement: e }) => e === document.body ? "" : e.id || e.value || e.textContent.trim())(document)',
  )

/** In the language with the longest words; in English, lines are shorter everywhere. */
it('text spaced as WCAG 1.4.12 says and text of twice the size stay within the page, and cover nothing', async () => {
  await withPage({}, async (page) => {
    await eachPage(page, oneOfEachKind, 'de', async (name) => {
      await unfold(page)
      for (const [width, change] of [[320], [320, spaceOut], [320, enlarge], [640]] as const) {
        await page.setViewportSize({ width, height: 640 })
        await change?.(page)
        expect(await overflow(page), name).toBeLessThanOrEqual(0)
        expect(await clippedText(page), name).toEqual([])
        if (change !== undefined)
          expect(await axeFindings(page, { runOnly: ['target-size'] }), name).toEqual([])
      }
    })
  })
})

/** What differs by the language alone is how long its words are. */
it.each(otherLocales)('in %s nothing scrolls sideways or is cut off on a narrow phone', async (locale) => {
  await withPage({ viewport: phone }, async (page) => {
    await eachPage(page, oneOfEachKind, locale, async (name) => {
      await unfold(page)
      expect(await overflow(page), name).toBeLessThanOrEqual(0)
      expect(await clippedText(page), name).toEqual([])
    })
  })
})

/** Where a link of a sentence is a box of its own, its full stop falls below it as soon as it fills the line. */
it('no full stop stands on a line of its own below a link', async () => {
  const fallen = `[...document.querySelectorAll('.note p a')].filter((link) => {
    const range = document.createRange()
    if (link.nextSibling === null) return false
    range.setStart(link.nextSibling, 0)
    range.setEnd(link.nextSibling, 1)
    return range.getBoundingClientRect().top > [...link.getClientRects()].at(-1).bottom - 4
  }).length`
  await withPage({}, async (page) => {
    for (const width of [320, 360, 390, 640])
      for (const locale of locales) {
        await page.setViewportSize({ width, height: 640 })
        await eachPage(page, ['consent'], locale, async () => {
          expect(await page.evaluate<number>(fallen), `${locale} at ${width}`).toBe(0)
        })
      }
  })
})

describe('the focus', () => {
  let page: Page
  beforeAll(async () => {
    page = await running.browser.newPage({ reducedMotion: 'reduce' })
  })
  const visit = async (name: string, viewport: { width: number; height: number }) => {
    await page.setViewportSize(viewport)
    await page.goto(`${running.base}/${name}`)
  }

  it.each([
    ['password', 'email'],
    ['password-known', 'password'],
    ['password-wrong', 'password'],
    ['password-missing-email', 'email'],
    ['password-missing-password', 'password'],
    ['password-too-many', 'problem'],
    ['password-passkey', 'email'],
    ['password-passkey-refused', 'problem'],
    ['password-busy', 'problem'],
    ['first-administrator', 'name'],
    ['first-administrator-wrong', 'name'],
    ['first-administrator-differs', 'password'],
    ['profile-two', 'p-2'],
    ['profile-missing', 'p-1'],
    ['profile-forty', 'p-17'],
    ['consent', ''],
    ['confirm-logout', ''],
  ])('%s begins at %s, with the heading in sight', async (name, expected) => {
    await visit(name, { width: 390, height: 664 })
    await expect.poll(() => focused(page)).toBe(expected)
    expect(await page.evaluate<number>('scrollY')).toBe(0)
  })

  it.each([
    ['password', ['email', 'password', 'Show', 'Sign in', 'cancel']],
    ['password-wrong', ['password', 'Show', 'Sign in', 'cancel']],
    ['password-passkey', ['email', 'password', 'Show', 'Sign in', 'Sign in with a passkey', 'cancel']],
    [
      'sign-in-organisation',
      ['email', 'password', 'Show', 'Sign in', 'organisation', 'Sign in with a passkey', 'cancel'],
    ],
    ['password-busy', ['problem', 'email', 'password', 'Show', 'Sign in', 'cancel']],
    ['first-administrator', ['name', 'email', 'password', 'Show', 'password_again', 'Show', 'Set up']],
    ['profile-two', ['p-2', 'switch', 'cancel']],
    ['consent', ['', 'allow', 'deny', 'Privacy', 'Applications you allowed something (opens in a new tab)']],
    ['no-profile', ['', 'continue', 'switch']],
    ['form-post', ['', 'Continue']],
    ['confirm-logout', ['', 'Sign out', 'stay']],
  ])('%s: Tab goes through the controls in the order they are read', async (name, order) => {
    await visit(name, { width: 1280, height: 720 })
    await expect.poll(() => focused(page)).toBe(order[0])
    for (const next of order.slice(1)) {
      await page.keyboard.press('Tab')
      expect(await focused(page)).toBe(next)
      expect(await focusIsDrawn(page), next).toBe(true)
    }
  })

  it.each([
    ['on a screen', { width: 1100, height: 800 }],
    ['on a phone', { width: 390, height: 664 }],
    ['on a low screen', { width: 640, height: 320 }],
  ])('is never hidden in a long list, %s', async (_where, viewport) => {
    await visit('profile-forty', viewport)
    await expect.poll(() => focused(page)).not.toBe('')
    for (let step = 0; step < 39; step += 1) {
      await page.keyboard.press('Tab')
      expect(await focusIsUncovered(page), await focused(page)).toBe(true)
    }
  })
})

/** An outline on the element. */
const focusIsDrawn = (page: Page) =>
  page.evaluate<boolean>(
    `[document.activeElement]
       .some((e) => getComputedStyle(e).outlineStyle === 'solid' && parseFloat(getComputedStyle(e).outlineWidth) >= 2)`,
  )

const focusIsUncovered = (page: Page) =>
  page.evaluate<boolean>(
    `(() => {
       const card = document.activeElement.closest('.choice')
       const { left, top, bottom, width } = card.getBoundingClientRect()
       return [top + 3, bottom - 3].every((y) => card.contains(document.elementFromPoint(left + width / 2, y)))
     })()`,
  )

describe('forms, without JavaScript', () => {
  async function submit(name: string, act: (page: Page) => Promise<void>): Promise<Record<string, string>> {
    delete running.sent.form
    return withPage({ javaScriptEnabled: false }, async (page) => {
      await page.goto(`${running.base}/${name}`)
      await act(page)
      await page.waitForURL('**/post?request=abc')
      return Object.fromEntries(running.sent.form ?? [])
    })
  }

  it('Enter signs in, with whatever was typed as e-mail address', async () => {
    const sent = await submit('password', async (page) => {
      await page.getByLabel('E-mail address').fill('ada')
      await page.getByLabel('Password').fill(' päss "word" ')
      await page.keyboard.press('Enter')
    })
    expect(sent).toEqual({ csrf: 'a-token', email: 'ada', password: ' päss "word" ' })
  })

  it('empty fields are ours to answer, and cancel needs none', async () => {
    const empty = await submit('password', (page) =>
      page.getByRole('button', { name: 'Sign in', exact: true }).click(),
    )
    expect(empty).toEqual({ csrf: 'a-token', email: '', password: '' })
    const cancelled = await submit('password', (page) => page.getByRole('button', { name: 'Cancel' }).click())
    expect(cancelled).toMatchObject({ choice: 'cancel' })
  })

  it('one click on the card chooses a profile', async () => {
    const sent = await submit('profile-two', (page) => page.getByText('City of Bern').click())
    expect(sent).toEqual({ csrf: 'a-token', profile_uuid: 'p-1' })
  })

  it('consent is given or refused by name', async () => {
    const allowed = await submit('consent', (page) =>
      page.getByRole('button', { name: 'Allow', exact: true }).click(),
    )
    expect(allowed).toEqual({ csrf: 'a-token', choice: 'allow' })
    const denied = await submit('consent', (page) =>
      page.getByRole('button', { name: 'Do not allow' }).click(),
    )
    expect(denied).toEqual({ csrf: 'a-token', choice: 'deny' })
  })

  it('signing out carries the hidden fields as they are', async () => {
    const sent = await submit('confirm-logout', (page) =>
      page.getByRole('button', { name: 'Sign out' }).click(),
    )
    expect(sent).toEqual({ csrf: 'a-token', state: 'a"b', client_id: 'acme' })
  })
})

it('with forced colours everything is still drawn: fields, buttons, the logo', async () => {
  await withPage({ forcedColors: 'active' }, async (page) => {
    for (const name of ['password-wrong', 'profile-two', 'consent']) {
      await page.goto(`${running.base}/${name}`)
      const bare = await page.evaluate<string[]>(
        `[...document.querySelectorAll('button, input:not([type=hidden]):not([type=radio])')]
           .filter((e) => parseFloat(getComputedStyle(e).borderTopWidth) === 0 || getComputedStyle(e).borderTopColor === 'rgba(0, 0, 0, 0)')
           .map((e) => e.outerHTML)`,
      )
      expect(bare, name).toEqual([])
    }
  })
})

it('moves nothing for people who asked for that', async () => {
  await withPage({ reducedMotion: 'reduce' }, async (page) => {
    await page.goto(`${running.base}/password`)
    const durations = await page.evaluate<string[]>(
      "[...document.querySelectorAll('*')].map((e) => getComputedStyle(e).transitionDuration).filter((d) => d !== '0s')",
    )
    expect(durations).toEqual([])
  })
})
