/**
 * Makes the files of a release, in release/ or the directory named: the package, an executable for each platform, the
 * packages for Debian, a bill of materials (CycloneDX) and checksums. With `--package-only` the package, the bill and
 * the checksums. Publishes nothing.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildDebianPackages, DEBIAN_NODE } from './debian-package.ts'
import { manifest, root } from './manifest.ts'
import { buildPackage } from './package-build.ts'
import { shippedSbom, withNode, type Sbom } from './sbom.ts'
import { packSingleFile } from './single-file-archive.ts'
import { SINGLE_FILE_NODE, SINGLE_FILE_PLATFORMS } from './single-file.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'package-only': { type: 'boolean', default: false } },
})
const directory = resolve(positionals[0] ?? join(root, 'release'))
const base = `${manifest.name}-${manifest.version}`

/** The output of npm; its errors go to standard error. */
function npm(...args: readonly string[]): string {
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  const shell = process.platform === 'win32' // npm is a script there, which only a shell starts
  const result = spawnSync('npm', args, { cwd: root, encoding: 'utf8', stdio: [...stdio], shell })
  if (result.status !== 0) throw new Error(`npm ${args[0]} failed, see above`)
  return result.stdout
}

/** As `prepack` and `postpack` do, which are not run here because the build is done. */
function releaseNotes(action: 'add' | 'remove'): void {
  const script = join(root, 'tools', 'release-notes.mjs')
  const result = spawnSync(process.execPath, [script, action], { cwd: root, stdio: ['ignore', 2, 2] })
  if (result.status !== 0) throw new Error(`the notes of the release could not be written, see above`)
}

function checksum(file: string): string {
  return createHash('sha256')
    .update(readFileSync(join(directory, file)))
    .digest('hex')
}

mkdirSync(directory, { recursive: true })
const bundled = await buildPackage(join(root, 'dist'))
releaseNotes('add')
try {
  npm('pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', directory)
} finally {
  releaseNotes('remove')
}
// Building the page sets NODE_ENV, which would make npm leave out what is bundled.
const whole = JSON.parse(npm('sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--include=dev')) as Sbom
const archives: string[] = []
for (const platform of values['package-only'] ? [] : SINGLE_FILE_PLATFORMS) {
  process.stderr.write(`twinfold: the executable for ${platform} …\n`)
  archives.push(await packSingleFile(platform, directory))
}
const debian = values['package-only'] ? [] : buildDebianPackages({ dist: join(root, 'dist'), directory })
const shipped = shippedSbom(whole, bundled)
const inExecutables = (sbom: Sbom) => withNode(sbom, SINGLE_FILE_NODE, 'the executables')
const listed = values['package-only']
  ? shipped
  : withNode(inExecutables(shipped), DEBIAN_NODE, 'the packages for Debian')
writeFileSync(join(directory, `${base}.cdx.json`), `${JSON.stringify(listed, undefined, 2)}\n`)
const files = [`${base}.cdx.json`, `${base}.tgz`, ...archives, ...debian].sort()
writeFileSync(join(directory, 'SHA256SUMS'), files.map((file) => `${checksum(file)}  ${file}\n`).join(''))
process.stderr.write(`twinfold: ${base} is in ${directory}\n`)
