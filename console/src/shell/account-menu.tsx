import { Menu, useMantineColorScheme } from '@mantine/core'
import { chooseLanguage, type Language, languages, useLanguage, useWords } from '../messages/messages.tsx'
import { signOut, switchProfile } from '../session/session.ts'
import { useMe } from '../shared/me.ts'
import { Icon } from '../shared/icons.tsx'
import { Name } from '../shared/text.tsx'

/** Who is signed in and as what, at the foot of the sidebar. */
export function AccountMenu() {
  const { account } = useWords()
  const language = useLanguage()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const { actor, reach } = useMe()
  const name = 'name' in actor ? actor.name : actor.kind
  const role = 'role_name' in actor ? actor.role_name : ''
  const where = reach.organisation_unit_name ?? reach.organisation_name ?? account.everywhere
  return (
    <Menu position="top-start" width={256} shadow="md">
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
        <Menu.Label>{account.look}</Menu.Label>
        {(['light', 'dark', 'auto'] as const).map((scheme) => (
          <Menu.Item
            key={scheme}
            role="menuitemradio"
            aria-checked={colorScheme === scheme}
            rightSection={colorScheme === scheme && <Icon name="holds" />}
            onClick={() => setColorScheme(scheme)}
          >
            {scheme === 'auto' ? account.system : account[scheme]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        {Object.entries(languages)
          .filter(([code]) => code !== language)
          .map(([code, called]) => (
            <Menu.Item key={code} lang={code} onClick={() => chooseLanguage(code as Language)}>
              {called}
            </Menu.Item>
          ))}
        <Menu.Item component="a" href="/account">
          {account.own}
        </Menu.Item>
        <Menu.Item onClick={() => void switchProfile()}>{account.switch}</Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut()}>{account.signOut}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
