import { sendPage } from '../pages/send-page.ts'
import { iamService, serviceOf } from '../protocol/permission.ts'
import type { ConsentService } from '../sign-in/consent-page.tsx'
import { allServices } from '../store/services.ts'
import { permissionsOfService } from '../store/permissions.ts'
import { permissionsOfRole } from '../store/roles.ts'
import type { AccountPage } from './page.ts'
import { profilesPage as page } from './profiles-page.tsx'
import type { AccountVisit } from './visit.ts'

export const profilesPath = '/account/profiles'

/** The profiles that somebody may act under now, and what each may do. */
export const profilesPage: AccountPage = { path: profilesPath, ofProfiles: true, show }

async function show(visit: AccountVisit): Promise<unknown> {
  const { reply, session } = visit
  const profiles = []
  for (const profile of session.profiles)
    profiles.push({ profile, services: await servicesOf(visit, profile.role_code) })
  return sendPage(reply, page({ ...visit.page, profiles, zone: session.user.zoneinfo ?? 'UTC' }))
}

/** What a role may do, by service and in the words of the permissions. */
async function servicesOf(
  { service: { store } }: AccountVisit,
  role_code: string,
): Promise<ConsentService[]> {
  const permissions = await permissionsOfRole(store, role_code)
  const names = new Map((await allServices(store)).map(({ code, name }) => [code, name]))
  const shown: ConsentService[] = []
  for (const code of new Set(permissions.map(serviceOf))) {
    const described = code === iamService ? [] : await permissionsOfService(store, code)
    const texts = new Map(described.map((one) => [one.code, one.description]))
    const here = permissions.filter((one) => serviceOf(one) === code)
    const marked = here.map((one) => ({ text: texts.get(one) ?? one, isNew: false }))
    shown.push({ name: names.get(code), isNew: false, permissions: marked })
  }
  return shown
}
