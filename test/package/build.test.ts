/** What stops a build, and what a bill of materials is made of. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { copyDeclaration } from '../../tools/declarations.ts'
import { noticesText, packagesOf } from '../../tools/notices.ts'
import { shippedSbom } from '../../tools/sbom.ts'
import { scratchDirectory } from '../support/scratch.ts'

const DEVELOPMENT = { name: 'cdx:npm:package:development', value: 'true' }

function writePackage(directory: string, name: string, files: Readonly<Record<string, string>>): string {
  const home = join(directory, 'node_modules', name)
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name, version: '1.2.3', license: 'MIT' }))
  for (const [file, text] of Object.entries(files)) writeFileSync(join(home, file), text)
  return join(home, 'lib', 'index.js')
}

test('build: notices hold every licence file of a package, once for all its modules', () => {
  using scratch = scratchDirectory()
  const module = writePackage(scratch.path, '@a/b', {
    LICENSE: 'Copyright A',
    'NOTICE.txt': 'thanks to C',
    'README.md': 'read me',
  })
  const packages = packagesOf([
    module,
    module.replace('index', 'other'),
    join(scratch.path, 'src', 'own.ts'),
    '\0virtual',
  ])
  assert.deepEqual(packages, [
    { name: '@a/b', version: '1.2.3', license: 'MIT', texts: ['Copyright A', 'thanks to C'] },
  ])
  assert.match(noticesText(packages), /^@a\/b 1\.2\.3 \(MIT\)\n=+\n\nCopyright A\n\nthanks to C\n$/m)
})

test('build: a bundled package without its licence stops the build and names the remedy', () => {
  using scratch = scratchDirectory()
  const module = writePackage(scratch.path, 'nameless', { 'index.js': '' })
  assert.throws(() => packagesOf([module]), /nameless has no licence file; put its text into .*licences.nameless\.txt/)
})

test('build: declarations refer to compiled files, and to nothing that is not installed with the package', () => {
  using scratch = scratchDirectory()
  const target = join(scratch.path, 'to')
  const write = (text: string) => writeFileSync(join(scratch.path, 'a.d.ts'), text)
  write(`import type { B } from './b.ts'\nexport * from "../c/c.ts"\nexport type D = import('./d.ts').D\n`)
  assert.deepEqual(copyDeclaration(scratch.path, target, 'a.d.ts'), ['b.d.ts', '../c/c.d.ts', 'd.d.ts'])
  const written = readFileSync(join(target, 'a.d.ts'), 'utf8')
  assert.equal(
    written,
    `import type { B } from './b.js'\nexport * from "../c/c.js"\nexport type D = import('./d.js').D\n`,
  )
  for (const foreign of [
    `import { X } from 'node:http'`,
    `export type X = import('saxes').X`,
    '/// <reference types="node" />',
  ]) {
    write(foreign)
    assert.throws(
      () => copyDeclaration(scratch.path, target, 'a.d.ts'),
      /a\.d\.ts: refers to .* not installed with the package/,
    )
  }
})

test('build: a bill of materials lists what is installed and what is bundled, and nothing else', () => {
  const component = (name: string, ...properties: { name: string; value: string }[]) => ({
    'bom-ref': `${name}@1`,
    name,
    version: '1',
    properties,
    externalReferences: [{ type: 'distribution', url: 'https://mirror.example/x.tgz' }],
  })
  const whole = {
    metadata: { component: component('directory') },
    components: [component('native'), component('inside', DEVELOPMENT), component('tool', DEVELOPMENT)],
    dependencies: [{ ref: 'directory@1', dependsOn: ['native@1', 'inside@1', 'tool@1'] }, { ref: 'tool@1' }],
  }
  const inside = { name: 'inside', version: '1', license: 'MIT', texts: [] }
  const { metadata, components, dependencies } = shippedSbom(whole, [inside])
  assert.equal(metadata.component.name, 'twinfold')
  assert.deepEqual(
    components.map(({ name, properties }) => [name, properties]),
    [
      ['native', []],
      ['inside', [{ name: 'cdx:npm:package:bundled', value: 'true' }]],
    ],
  )
  assert.deepEqual(dependencies, [{ ref: 'directory@1', dependsOn: ['native@1', 'inside@1'] }])
  assert.doesNotMatch(JSON.stringify(components), /mirror/)
  assert.throws(() => shippedSbom(whole, [{ ...inside, name: 'unknown' }]), /not in the lock file: unknown@1/)
})
