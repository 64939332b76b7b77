import { Menu, useMantineColorScheme } from '@mantine/core'
import { chooseLanguage, type Language, languages, useLanguage, useWords } from '../messages/messages.tsx'
import { signOut, switchProfile } from '../session/session.ts'
import { useMe, usePlaceName } from '../shared/me.ts'
import type { components } from '../api/types.d.ts'
import { Icon } from '../shared/icons.tsx'
import { Name } from '../shared/text.tsx'
import { path } from '../api/client.ts'

/** The person signed in and as what, at the sidebar's foot. */
export function AccountMenu() {
  const { account } = useWords()
  const language = useLanguage()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const { actor, reach } = useMe()
  const profiles = 'profiles' in actor ? actor.profiles : []
  const name = 'name' in actor ? actor.name : actor.kind
  const role = 'role_name' in actor ? actor.role_name : ''
  const where = usePlaceName()(reach)
  return (
    // Within the sidebar or the drawer, which are the landmarks of what is in them.
    <Menu
      position="top-start"
      width={256}
      shadow="md"
      withinPortal={false}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <button type="button" className="who">
          <span>
            <span className="away">{account.label}: </span>
            <Name>{name}</Name>
            <small>
              <Name>{`${role} · ${where}`}</Name>
            </small>
          </span>
          <Icon name="more" />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {profiles.length > 1 && (
          <Profiles of={profiles} now={'profile_uuid' in actor ? actor.profile_uuid : ''} />
        )}
        <Menu.Label>{account.look}</Menu.Label>
        <div role="group" aria-label={account.look}>
          <Menu.RadioGroup
            value={colorScheme}
            onChange={(scheme) => setColorScheme(scheme as typeof colorScheme)}
          >
            {(['light', 'dark', 'auto'] as const).map((scheme) => (
              <Menu.RadioItem key={scheme} value={scheme}>
                {scheme === 'auto' ? account.system : account[scheme]}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
        </div>
        <Menu.Divider />
        {Object.entries(languages)
          .filter(([code]) => code !== language)
          .map(([code, called]) => (
            <Menu.Item key={code} lang={code} onClick={() => chooseLanguage(code as Language)}>
              {called}
            </Menu.Item>
          ))}
        <Menu.Item component="a" href={`${path}/account`}>
          {account.own}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut()}>{account.signOut}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

type Own = Extract<components['schemas']['Me']['actor'], { profiles: unknown }>['profiles']

/** What else one may act under. */
function Profiles({ of, now }: { of: Own; now: string }) {
  const { account } = useWords()
  const where = usePlaceName()
  return (
    <>
      <Menu.Label>{account.actAs}</Menu.Label>
      <div className="own-profiles" role="group" aria-label={account.actAs}>
        <Menu.RadioGroup value={now} onChange={(uuid) => uuid !== now && switchProfile(uuid)}>
          {of.map((one) => (
            <Menu.RadioItem key={one.profile_uuid} value={one.profile_uuid}>
              <Name>{one.role_name}</Name>
              <small>
                <Name>{where(one)}</Name>
              </small>
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </div>
      <Menu.Divider />
    </>
  )
}
