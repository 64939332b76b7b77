import { Button } from '@mantine/core'
import { useWords } from '../../messages/messages.tsx'
import { save } from '../../shared/download.tsx'
import { Drop } from '../../shared/drop.tsx'
import { Field } from '../../shared/form.tsx'
import type { HandedFile } from '../../shared/handed-file.ts'
import { Icon } from '../../shared/icons.tsx'
import { Textarea } from '../../shared/input.tsx'

/** The most bytes that the service reads. */
const most = 5 * 1024 * 1024

const sample = `email,name,locale,role,organisation,unit
ines.moreau@example.com,Ines Moreau,fr,,,
sam.oduya@example.com,"Oduya, Sam",en,,,
`

/** The file, dropped, chosen or pasted. */
export function SourceFields({
  value,
  onChange,
  errors,
}: {
  value: HandedFile
  onChange: (value: HandedFile) => void
  errors: Readonly<Record<string, string>>
}) {
  const { importing: words } = useWords()
  return (
    <Drop
      hint={words.drop}
      choose={words.choose}
      accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson"
      most={most}
      tooLarge={words.tooLarge}
      take={([file]) => file && onChange(file)}
    >
      <Textarea
        className="people-text"
        label={words.text}
        description={words.columns}
        error={errors.text}
        rows={8}
        wrap="off"
        spellCheck={false}
        autoComplete="off"
        translate="no"
        value={value.text}
        onChange={({ currentTarget }) => onChange({ ...value, text: currentTarget.value })}
      />
      <Field
        label={words.name}
        description={words.nameHow}
        placeholder="people.csv"
        value={value.name}
        maxLength={200}
        onChange={(name) => onChange({ ...value, name })}
        error={errors.name}
      />
      <Button
        variant="default"
        className="people-sample"
        leftSection={<Icon name="download" />}
        onClick={() => save(new Blob([sample], { type: 'text/csv;charset=utf-8' }), 'people.csv')}
      >
        {words.sample}
      </Button>
    </Drop>
  )
}
