/** The main paths in Debian's Firefox. */
import { describe, test } from 'node:test'
import { Firefox, missingFirefox } from '../support/firefox.ts'
import { missingNamespaces } from '../support/loopback.ts'
import { isAlone, mainPaths, runAlone } from './main-paths.ts'

if (isAlone) describe('in Firefox', () => mainPaths((directory) => Firefox.start(directory)))
else {
  const skip = missingFirefox() ?? missingNamespaces() ?? false
  test('the main paths work in Firefox', { skip }, () => runAlone(import.meta.filename))
}
