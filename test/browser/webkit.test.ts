/** The main paths in Debian's WebKitGTK, the engine of GNOME Web; Safari has a kindred one. */
import { describe, test } from 'node:test'
import { missingWebKit, WebKit } from '../support/webkit.ts'
import { missingNamespaces } from '../support/loopback.ts'
import { isAlone, mainPaths, runAlone } from './main-paths.ts'

if (isAlone) describe('in WebKit', () => mainPaths((directory) => WebKit.start(directory)))
else {
  const skip = missingWebKit() ?? missingNamespaces() ?? false
  test('the main paths work in WebKit', { skip }, () => runAlone(import.meta.filename))
}
