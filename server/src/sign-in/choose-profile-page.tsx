import { Picture } from '../pages/brand.tsx'
import { formPage, LeaveButtons } from '../pages/form-page.tsx'
import { FieldError, type FormPageProps } from '../pages/form.tsx'
import { Name } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import { withoutDeceiving } from '../protocol/characters.ts'

/** A profile as people know it. */
export interface ProfileNames {
  role_name: string
  organisation_name: string | null
  unit_name: string | null
}

export interface ProfileChoice extends ProfileNames {
  held_uuid: string
}

export interface ChooseProfilePageProps extends FormPageProps {
  clientName: string
  accountName: string
  /** The path of the picture of the person. */
  picture?: string | undefined
  profiles: readonly ProfileChoice[]
  /** The uuid chosen last time. */
  selected?: string | undefined
  /** What was chosen is not there, or nothing was. */
  error?: boolean | undefined
}

/** Beyond this many a second column halves the scrolling, and the last choice moves to the top. */
const longList = 8

export function chooseProfilePage(props: ChooseProfilePageProps): string {
  const { locale, clientName, profiles } = props
  const { common, chooseProfile: messages } = messagesFor(locale)
  return formPage({
    ...props,
    title: messages.title(clientName),
    heading: messages.heading,
    wide: profiles.length > longList,
    above: [
      <p class="lead">{messages.lead(<Name>{clientName}</Name>)}</p>,
      <div class="account person">
        <Picture of={props.picture} round />
        <p>{common.signedInAs(<Name>{props.accountName}</Name>)}</p>
      </div>,
    ],
    fields: <Profiles {...props} />,
    buttons: <LeaveButtons locale={locale} />,
  })
}

function Profiles({ locale, selected, error, ...props }: ChooseProfilePageProps) {
  const { chooseProfile: messages } = messagesFor(locale)
  const profiles = inOrder(props.profiles, selected)
  // The focus is at the one that was used last, or where something is wrong at the first.
  const last = profiles.findIndex((profile) => profile.held_uuid === selected)
  const focused = error ? Math.max(last, 0) : last
  return (
    <fieldset class="choices" aria-describedby={error ? 'profile-error' : undefined}>
      <legend>{messages.legend}</legend>
      {error && <FieldError id="profile-error">{messages.notAvailable}</FieldError>}
      <div class="choice-list">
        {profiles.map((profile, index) => (
          <button
            type="submit"
            class="choice"
            name="profile_uuid"
            value={profile.held_uuid}
            autofocus={index === focused}
          >
            <span class="choice-text">
              <ProfilePlace of={profile} />
            </span>
            {index === last && <span class="choice-last">{messages.last}</span>}
          </button>
        ))}
      </div>
    </fieldset>
  )
}

/** The focus goes to the last choice: far down a long list, it would scroll the heading out of sight. */
function inOrder(profiles: readonly ProfileChoice[], selected: string | undefined): readonly ProfileChoice[] {
  if (profiles.length <= longList) return profiles
  return [...profiles].sort((a, b) => Number(b.held_uuid === selected) - Number(a.held_uuid === selected))
}

/** Its role, and where. */
export function ProfilePlace({ of: { role_name, organisation_name, unit_name } }: { of: ProfileNames }) {
  const place = [organisation_name, unit_name].filter((name) => name !== null)
  return (
    <>
      <bdi class="choice-name">{withoutDeceiving(role_name)}</bdi>
      {place.length > 0 && (
        <span class="choice-place">
          {place.map((name, index) => (
            <>
              {index > 0 && ' · '}
              <bdi>{withoutDeceiving(name)}</bdi>
            </>
          ))}
        </span>
      )}
    </>
  )
}
