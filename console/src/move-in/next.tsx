import { Button } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { MovedIn } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { save } from '../shared/download.tsx'
import { handFile } from '../shared/handed-file.ts'
import { Icon } from '../shared/icons.tsx'

/** The most bytes of people that the service imports at once. */
const mostToImport = 5 * 1024 * 1024

/** What is done with it, in this order. `file`: the name by which the declared file will manage things. */
export function NextSteps({ moved, file, disabled }: { moved: MovedIn; file: string; disabled: boolean }) {
  const { moving } = useWords()
  const router = useRouter()
  const { declared, people, mapping, report } = moved
  const isTooLarge = new Blob([people]).size > mostToImport
  const files = {
    'declared.yaml': declared,
    'people.jsonl': people,
    'mapping.yaml': mapping,
    'report.md': report,
  }
  return (
    <section className="card next-steps" aria-labelledby="next">
      <h2 id="next">{moving.next}</h2>
      <ol>
        <Step title={moving.planIt} how={moving.planHow}>
          <Button
            disabled={disabled}
            onClick={() => {
              handFile('declared', { name: file, text: declared })
              void router.navigate({ to: '/file' })
            }}
          >
            {moving.planIt}
          </Button>
        </Step>
        <Step title={moving.importIt} how={isTooLarge ? moving.importTooLarge : moving.importHow}>
          <Button
            variant="default"
            disabled={disabled || people === '' || isTooLarge}
            onClick={() => {
              handFile('import', { name: 'people.jsonl', text: people })
              void router.navigate({ to: '/people/import' })
            }}
          >
            {moving.importIt}
          </Button>
        </Step>
        <Step title={moving.saveIt} how={moving.saveHow}>
          {Object.entries(files).map(([name, text]) => (
            <Button
              key={name}
              variant="default"
              leftSection={<Icon name="download" />}
              disabled={disabled}
              onClick={() => save(new Blob([text]), name)}
            >
              {name}
            </Button>
          ))}
        </Step>
      </ol>
    </section>
  )
}

function Step({ title, how, children }: { title: string; how: string; children: ReactNode }) {
  return (
    <li>
      <h3>{title}</h3>
      <p className="soft">{how}</p>
      <div className="step">{children}</div>
    </li>
  )
}
