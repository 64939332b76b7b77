import type { Policy } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'

/** A value of a policy in words. */
export function useTold(): (name: string, value: unknown) => string | undefined {
  const { policies, yes, no } = useWords()
  return (name, value) => {
    if (value === null || value === undefined) return policies.unset
    if (typeof value === 'boolean') return value ? yes : no
    if (typeof value === 'number')
      return name === 'password_length' ? policies.characters(value) : policies.days(value)
    const words: Partial<Record<string, Record<string, string>>> = {
      second_factor: policies.secondFactor,
      sign_in: policies.signIn,
      email_change: policies.emailChange,
    } satisfies Partial<Record<keyof Policy, Record<string, string>>>
    return words[name]?.[String(value)]
  }
}
