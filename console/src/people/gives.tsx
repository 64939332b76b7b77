import { useQuery } from '@tanstack/react-query'
import { answered, api } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { useMay } from '../shared/me.ts'
import { byService, usePermissions } from '../shared/permissions.ts'

/** The most permissions of a service that are told one by one. */
const most = 6

/** What a role gives, for those who don't know it by its name. */
export function Gives({ code }: { code: string }) {
  const { role } = useWords()
  const { data } = useQuery({
    queryKey: ['role', code],
    queryFn: () => answered(api.GET('/admin/v1/roles/{code}', { params: { path: { code } } })),
  })
  if (data === undefined) return null
  const services = byService(data.permissions)
  return (
    <section className="effect" aria-label={role.gives} aria-live="polite">
      <p>
        <strong>{services.length === 0 ? role.givesNothing : role.gives}</strong>
      </p>
      <ul>
        {services.map(([service, codes]) => (
          <Meanings key={service} service={service} codes={codes} />
        ))}
      </ul>
    </section>
  )
}

function Meanings({ service, codes }: { service: string; codes: readonly string[] }) {
  const { role } = useWords()
  const may = useMay()
  const { data: known } = usePermissions(service, may('iam.permissions.read'))
  const meaning = (code: string) =>
    code === 'iam.*' ? role.all : known?.find((one) => one.code === code)?.description || code
  return (
    <>
      {codes.slice(0, most).map((code) => (
        <li key={code}>{meaning(code)}</li>
      ))}
      {codes.length > most && (
        <li>
          {service}: + {codes.length - most}
        </li>
      )}
    </>
  )
}
