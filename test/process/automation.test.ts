/** Every recipe of docs/automation.md is run, beside two real daemons that listen elsewhere than configured. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runPage } from '../../tools/manual-outputs.ts'
import { missingNamespaces } from '../support/loopback.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const skip = missingNamespaces() ?? false
const PAGE = readFileSync(join(ROOT, 'docs', 'automation.md'), 'utf8')
const RECIPE = /^## (\d+)\. (.*)\n[^]*?^```(sh|ts)\n([^]*?)^```$/gm
const RECIPES = 10
const PORT = 22_001

const PACKAGE = JSON.stringify({ type: 'module', exports: { '.': './public.js', './node': './node.js' } })
/** The package of the client as an installation has it, and two devices of which one has a folder. */
const SETTING = `mkdir -p node_modules/twinfold Data nas-data
echo '${PACKAGE}' > node_modules/twinfold/package.json
echo "export * from '${join(ROOT, 'src', 'client', 'public.ts')}'" > node_modules/twinfold/public.js
echo "export * from '${join(ROOT, 'src', 'client', 'node.ts')}'" > node_modules/twinfold/node.js
twinfold serve --no-browser --gui-address 127.0.0.1:0 > desk.log &
until [ -e .local/state/syncthing/twinfold-address.json ]; do sleep 0.2; done
twinfold folder add Data --id data
twinfold generate --home nas
twinfold serve --home nas --no-browser --gui-address 127.0.0.1:0 > nas.log &
until [ -e nas/twinfold-address.json ]; do sleep 0.2; done
twinfold cli --home nas config options raw-listen-addresses 0 set tcp://127.0.0.1:${PORT}
`

/** Where recipes offer nothing by themselves: a second folder of one device, and the wait for its offer. */
const BEFORE: Readonly<Record<string, string>> = {
  9: `mkdir More && twinfold folder add More --id more
twinfold folder share more "$(twinfold device-id --home nas)"
until twinfold pending --home nas | grep -q more; do sleep 0.2; done
`,
}

const recipes = [...PAGE.matchAll(RECIPE)].map(([, number = '', , kind = '', code = '']) => {
  const file = `recipe-${number}.mts`
  const written = `cat > ${file} <<'END OF RECIPE'\n${code}END OF RECIPE\n'${process.execPath}' ${file}\n`
  return { number, commands: kind === 'sh' ? code : written }
})

test(`docs/automation.md: ${RECIPES} recipes run`, { skip }, () => {
  assert.equal(recipes.length, RECIPES)
  const blocks = [SETTING, ...recipes.map(({ number, commands }) => `${BEFORE[number] ?? ''}${commands}`)]
  const end = 'cat ~/.local/state/syncthing/twinfold-address.json | grep --count processId\n'
  const { outputs, failure } = runPage([...blocks, end].map((block) => `\`\`\`sh\n${block}\`\`\`\n`).join('\n'))
  assert.equal(failure, undefined)
  const printed = outputs.slice(1)
  assert.match(printed[1]!, /"completion": 100/)
  assert.match(printed[5]!, /^2 devices$/m)
  assert.match(printed[6]!, /the backup may begin/)
  assert.match(printed[7]!, /changed: new\.txt/)
  assert.match(printed[8]!, /^2 folders$/m)
  assert.match(printed[9]!, /^new 3 bytes$/m)
})
