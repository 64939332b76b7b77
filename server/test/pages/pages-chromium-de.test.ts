/** Every page in German, on a narrow phone by day: a file of its own, to run beside the others. */
import { testLooks } from './in-chromium.ts'

testLooks('de')
