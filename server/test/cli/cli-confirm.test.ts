import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { confirmed } from '../../dist/cli/ask.js'

it.each([
  ['y\n', true],
  ['Yes\n', true],
  ['n\n', false],
  ['\n', false],
  ['yesterday\n', false],
  ['no\ny\n', false],
  ['', false],
])('the answer %j is %s', async (answer, agreed) => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const asked = confirmed('Apply this?', { input, output })
  input.end(answer)
  expect(await asked).toBe(agreed)
  expect(String(output.read())).toBe('Apply this? [y/N] ')
})
