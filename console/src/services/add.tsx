import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, type Service } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Add } from '../shared/add.tsx'
import { Field, Lines } from '../shared/form.tsx'
import { useMay, useMe } from '../shared/me.ts'

/** A service is added by administrators of the whole installation, as the API has it. */
export function AddService() {
  const { service: words } = useWords()
  const may = useMay()
  const navigate = useNavigate()
  const { kind } = useMe().reach
  const [audience, setAudience] = useState('')
  const [description, setDescription] = useState('')
  if (!may('iam.services.create') || kind !== 'installation') return null
  return (
    <Add<Service>
      label={words.add}
      title={words.add}
      codeHow={words.codeHow}
      ask={(named, { query, key }) =>
        api.POST('/admin/v1/services', {
          params: { query, header: { 'Idempotency-Key': key } },
          body: { ...named, audience: audience.trim(), description: description.trim() || null },
        })
      }
      done={({ code }) => void navigate({ to: '/services/$code', params: { code } })}
    >
      {(wrong) => (
        <>
          <Field
            label={words.audience}
            description={words.audienceHow}
            placeholder="https://press.example/api"
            value={audience}
            onChange={setAudience}
            error={wrong('audience')}
            autoComplete="off"
          />
          <Lines
            label={words.description}
            description={words.descriptionHow}
            value={description}
            onChange={setDescription}
            error={wrong('description')}
          />
        </>
      )}
    </Add>
  )
}
