import { useWords } from '../messages/messages.tsx'
import { Drop } from '../shared/drop.tsx'
import { Check, Field, fieldsOf } from '../shared/form.tsx'
import { NumberedText, type RefusedLine } from '../shared/numbered.tsx'

/** A file as it is sent. */
export interface Declared {
  text: string
  file: string
  prune: boolean
}

/** The most bytes that the service reads. */
const most = 5 * 1024 * 1024

/** The id of the field with the text. */
export const textId = 'declared-text'

/** The text of the file, with the lines that are refused marked beside it, and what is said of it. */
export function SourceFields({
  value,
  onChange,
  refused,
  error,
}: {
  value: Declared
  onChange: (value: Declared) => void
  refused: readonly RefusedLine[]
  error: unknown
}) {
  const { file: words } = useWords()
  const fields = fieldsOf(error)
  return (
    <Drop
      hint={words.drop}
      choose={words.choose}
      accept=".yaml,.yml,.json"
      most={most}
      tooLarge={words.tooLarge}
      take={([file]) => file && onChange({ ...value, text: file.text, file: file.name })}
    >
      <NumberedText
        id={textId}
        label={words.text}
        value={value.text}
        onChange={(text) => onChange({ ...value, text })}
        refused={refused}
      />
      <div className="beside">
        <Field
          label={words.name}
          description={words.nameHow}
          placeholder="access.yaml"
          value={value.file}
          maxLength={200}
          onChange={(file) => onChange({ ...value, file })}
          error={fields.file}
        />
        <Check
          label={words.prune}
          description={words.pruneHow}
          checked={value.prune}
          onChange={(prune) => onChange({ ...value, prune })}
        />
      </div>
    </Drop>
  )
}
