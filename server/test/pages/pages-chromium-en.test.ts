/** Every page in English, in the dark: a file of its own, to run beside the others. */
import { testLooks } from './in-chromium.ts'

testLooks('en')
