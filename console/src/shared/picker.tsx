import { Combobox, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useWords } from '../messages/messages.tsx'
import { TextInput } from './input.tsx'
import { Name } from './text.tsx'

interface Choice {
  value: string
  label: string
  note: string
}

/** A field that searches while one types, and shows what was chosen. */
export function Picker({
  label,
  hint,
  value,
  onChange,
  find,
  error,
  description,
  bare,
  within,
}: {
  label: string
  /** What stands in an empty field. */
  hint: string
  value: string | undefined
  onChange: (value: string | undefined) => void
  find: (text: string) => Promise<Choice[]>
  error?: string | undefined
  description?: string
  /** The label is heard and not seen, in a row of filters or in a sentence. */
  bare?: boolean
  /** What the choices depend on beside the text. */
  within?: string
}) {
  const { pick } = useWords()
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })
  const [typed, setTyped] = useState<string>()
  const [text] = useDebouncedValue(typed ?? '', 150)
  const found = useQuery({
    queryKey: ['pick', label, within, text],
    queryFn: () => find(text),
    enabled: combobox.dropdownOpened,
    placeholderData: (before) => before,
  })
  // Enter takes the first of what was found by what stands in the field, and of nothing older.
  const isFound = Boolean(typed) && typed === text && found.isSuccess && !found.isPlaceholderData
  const { selectFirstOption } = combobox
  useEffect(() => {
    if (isFound) selectFirstOption()
  }, [isFound, found.data, selectFirstOption])
  const chosen = useQuery({
    queryKey: ['picked', label, within, value],
    queryFn: async () => (await find(value ?? '')).find((one) => one.value === value)?.label ?? value,
    enabled: value !== undefined,
  })
  const choose = (chosen: string) => {
    setTyped(undefined)
    onChange(chosen)
    combobox.closeDropdown()
  }
  const type = (text: string) => {
    setTyped(text)
    combobox.openDropdown()
    combobox.resetSelectedOption()
    if (text === '') onChange(undefined)
  }
  return (
    <Combobox store={combobox} onOptionSubmit={choose} position="bottom-start" width={bare ? 320 : 'target'}>
      <Combobox.Target>
        <TextInput
          {...(bare ? { 'aria-label': label, className: 'bare' } : { label })}
          placeholder={hint}
          error={error}
          description={description}
          value={typed ?? (value === undefined ? '' : (chosen.data ?? value))}
          maxLength={200}
          onChange={({ currentTarget }) => type(currentTarget.value)}
          onClick={({ currentTarget }) => {
            combobox.openDropdown()
            // What is typed next replaces what was chosen.
            if (typed === undefined) currentTarget.select()
          }}
          onBlur={() => {
            combobox.closeDropdown()
            setTyped(undefined)
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={found.data === undefined}>
        <Combobox.Options aria-label={label} mah={320} className="choices">
          {found.data?.map(({ value, label, note }) => (
            <Combobox.Option key={value} value={value}>
              <Name>{label}</Name>
              <small className="soft">
                <Name>{note}</Name>
              </small>
            </Combobox.Option>
          ))}
          {found.data?.length === 0 && <Combobox.Empty>{pick.nothing}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}
