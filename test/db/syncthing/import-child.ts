/** One start on a home, as far as the import of the index: `HOME OURS VERSION`. */
import { openIndex, takeOver } from './imported.ts'
import type { IndexVersion } from '../../support/syncthing-index.ts'

const [home, ours, version] = process.argv.slice(2)
await using store = await openIndex(ours!)
const { failed } = await takeOver({ home: home!, ours: ours!, version: version as IndexVersion }, store)
if (failed.size > 0) throw new Error([...failed.values()].join('\n'))
