/** How applications prove who they are, and for whom they act, in the console. */
import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { acme, Administrator } from '../administration/support.ts'
import { people } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { consoleOn, fits, turnTo, visit } from './console-page.ts'

const cluster = 'https://kubernetes.default.svc.cluster.local'
/** What is wrong while one types is told by a dry run. */
const isRefusedTrial = (complaint: string) => /^400 \S+\?dry_run=true$|status of 400/.test(complaint)

const gitHub = 'https://token.actions.githubusercontent.com'

onOneDatabase('the proofs of applications in the console', (dialect) => {
  const { tessera, look, open } = consoleOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    const job = { client_id: 'deploy', type: 'machine', client_name: 'Deploy' }
    expect((await admin.post('/clients', job)).status).toBe(201)
  })
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const field = (page: Page | Locator, name: string) => page.getByLabel(name, { exact: true })
  const kept = async (path: string) => (await admin.get(path)).json
  const issuers = async () => (await kept('/assertion-issuers'))['issuers']
  const pick = async (within: Page | Locator, name: string, typed: string, option: RegExp) => {
    const picker = within.getByRole('textbox', { name, exact: true })
    await picker.fill(typed)
    await picker.page().locator('[data-combobox-selected]').filter({ hasText: option }).waitFor()
    await picker.press('Enter')
  }

  it('declares issuers, and says what is wrong with one', async () => {
    const { context, page, complaints } = await open(people.admin, look)
    await page.getByRole('link', { name: 'Installation', exact: true }).click()
    await page.getByRole('link', { name: 'Issuers that prove applications' }).click()
    await page.getByText('No issuer yet').waitFor()
    await fits(page, 'no issuer')
    await button(page, 'Add an issuer').click()
    await field(page, 'Issuer').fill(gitHub)
    await button(page, 'Add an issuer').click()
    const second = page.getByRole('region', { name: 'New issuer' })
    await second.getByLabel('Issuer', { exact: true }).fill(cluster)
    const ofCluster = page.getByRole('region', { name: cluster })
    await ofCluster.getByLabel('Its keys', { exact: true }).fill('{"keys": [')
    await ofCluster.locator('[aria-invalid=true]').waitFor()
    await fits(page, 'issuers that are refused')
    await ofCluster.getByLabel('Its keys', { exact: true }).fill('')
    await ofCluster.getByLabel('Longest lifetime in seconds').fill('7200')
    await pick(ofCluster, 'Organisations', 'Acme', /Acme Institute/)
    await button(page, 'Take out: Acme Institute').waitFor()
    await page.getByText('No application is proved by somebody else for it.').waitFor()
    await fits(page, 'issuers')
    expect(await issuers()).toBeNull()
    await button(page, 'Save').click()
    const both = [{ issuer: gitHub }, { issuer: cluster, max_lifetime: 7200, organisations: [acme] }]
    await expect.poll(issuers).toEqual(both)
    expect(complaints.filter((one) => !isRefusedTrial(one))).toEqual([])
    await context.close()
  })

  it('lets a token of its platform prove an application, and says whose', async () => {
    const { context, page, complaints } = await open(
      people.admin,
      look,
      '/applications/deploy/settings',
      'How it proves itself',
    )
    const toggle = page.getByLabel('By a token of its platform')
    await toggle.check()
    await field(page, 'Issuer').selectOption(gitHub)
    await field(page, 'Whose token it is').selectOption('claims')
    const claims = page.getByRole('textbox', { name: 'Claims', exact: true })
    await claims.fill('ref=refs/heads/main')
    await page.getByText(/names none of repository_id/).waitFor()
    await fits(page, 'claims that are refused')
    await claims.fill('ref=refs/heads/main\nrepository_id = 456789\nself_hosted := false')
    const who = `whoever gets a token of ${gitHub} in which ref is "refs/heads/main" and repository_id is "456789" and self_hosted is false`
    await page.locator('.effect').getByText(who).waitFor()
    await fits(page, 'claims that prove an application')
    await button(page, 'Save').click()
    const federated = {
      issuer: gitHub,
      claims: { ref: 'refs/heads/main', repository_id: '456789', self_hosted: false },
    }
    await expect.poll(async () => (await kept('/clients/deploy'))['federated']).toEqual(federated)
    await expect.poll(() => claims.inputValue()).toContain('self_hosted := false')

    await field(page, 'Issuer').selectOption(cluster)
    await field(page, 'Whose token it is').selectOption('subject')
    await field(page, 'Subject (sub)').fill('system:serviceaccount:prod:orders')
    await page.locator('.effect').getByText('An account of this name').waitFor()
    await button(page, 'Save').click()
    await expect
      .poll(async () => (await kept('/clients/deploy'))['federated'])
      .toEqual({ issuer: cluster, subject: 'system:serviceaccount:prod:orders' })

    // Without its issuer nobody proves to be it, which is said before that is saved.
    await visit(page, '/settings/issuers', 'Take out')
    await button(page, `Take out ${cluster}`).click()
    await page.locator('.effect').getByText('deploy: nobody any more').waitFor()
    await fits(page, 'an issuer that goes')
    await button(page, 'Save').click()
    await expect.poll(issuers).toEqual([{ issuer: gitHub }])
    await visit(page, '/', 'The issuer that proves an application is not declared')
    await fits(page, 'what needs attention')

    await visit(page, '/applications/deploy/settings', 'How it proves itself')
    await toggle.uncheck()
    await page.locator('.effect').waitFor()
    await button(page, 'Save').click()
    await expect
      .poll(async () => (await kept('/clients/deploy'))['token_endpoint_auth_method'])
      .toBe('client_secret_basic')
    expect((await kept('/clients/deploy'))['federated']).toBeNull()
    expect(complaints.filter((one) => !isRefusedTrial(one))).toEqual([])
    await context.close()
  })

  it('lets an application act for the people who call it, and says what it gets by that', async () => {
    const { context, page, complaints } = await open(
      people.admin,
      look,
      '/applications/deploy/settings',
      'Acting for people',
    )
    const card = page.locator('section.card').filter({ hasText: 'Acting for people' })
    await page.getByLabel('It is a service, and acts for the people who call it').check()
    await card.getByText('Where it may act for them').waitFor()
    await pick(page, 'The service that it is', 'submissions', /submissions-tool/)
    await pick(card, 'Services that it calls', 'submissions', /submissions-tool/)
    await page.getByText(/an exchange is for others/).waitFor()
    await fits(page, 'an exchange that is refused')
    await button(page, 'Take out: submissions-tool').click()
    await pick(card, 'Services that it calls', 'ledger', /ledger/)
    await pick(card, 'Permissions', 'ledger.entry.read', /ledger\.entry\.read/)
    const effect = page.locator('.effect')
    await effect.getByText('deploy acting for whoever calls submissions-tool').waitFor()
    await fits(page, 'an exchange')
    await button(page, 'Save').click()
    await expect
      .poll(async () => (await kept('/clients/deploy'))['exchange'])
      .toEqual({ services: ['ledger'], permissions: ['ledger.entry.read'] })
    expect((await kept('/clients/deploy'))['acts_as']).toBe('submissions-tool')

    await turnTo(
      page,
      '/access/who?permission=ledger.entry.read',
      'Acting for whoever calls submissions-tool',
    )
    await fits(page, 'who acts for others')
    await visit(page, '/applications/deploy/settings', 'Acting for people')
    await page.getByLabel('It is a service, and acts for the people who call it').uncheck()
    await effect.getByText('ledger.entry.read').waitFor()
    await button(page, 'Save').click()
    await expect.poll(async () => (await kept('/clients/deploy'))['acts_as']).toBeNull()
    expect(complaints.filter((one) => !isRefusedTrial(one))).toEqual([])
    await context.close()
  })
})
