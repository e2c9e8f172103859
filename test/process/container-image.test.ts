/**
 * The last stage of the image, step by step, on the programs and libraries of this system. What the stages before it
 * make is taken from here; a nightly test runs them, too (`test/container`).
 */
import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { testProgram } from '../../tools/test-program.ts'
import { ContainerMachine, missingMachines, systemMounts } from '../support/container-machine.ts'
import { checkOtherHome, checkService, type BuiltImage } from '../support/container-scene.ts'
import { parseContainerfile } from '../support/containerfile.ts'
import { buildStage } from '../support/image-build.ts'
import { scratchDirectory } from '../support/scratch.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const missing = missingMachines()

test('the image: its steps, and a container by the sample for compose', { skip: missing }, async () => {
  using scratch = scratchDirectory()
  const { stages, settings } = parseContainerfile(readFileSync(join(ROOT, 'Containerfile'), 'utf8'))
  const local = join(scratch.path, 'local')
  mkdirSync(join(local, 'bin'), { recursive: true })
  cpSync(process.execPath, join(local, 'bin', 'node'))
  const image: BuiltImage = {
    root: join(scratch.path, 'root'),
    settings,
    mounts: { ...systemMounts(), '/usr/local': local },
  }
  {
    await using machine = await ContainerMachine.start(image)
    await buildStage(stages.at(-1)!, {
      machine,
      root: image.root,
      fromStage: (stage, path) => resultOf(stage, path, scratch.path),
    })
  }
  await checkOtherHome(image, scratch.path)
  await checkService(image, scratch.path)
})

function resultOf(stage: string, path: string, scratch: string): string {
  const result = `${stage} ${path}`
  if (result === 'build /build/dist') return dirname(dirname(testProgram()))
  assert.equal(result, 'dependencies /build/node_modules', 'a result of the stages before')
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, { readonly dev?: boolean }>>
  }
  for (const [name, { dev = false }] of Object.entries(packages))
    if (name !== '' && !dev && existsSync(join(ROOT, name)))
      cpSync(join(ROOT, name), join(scratch, name), { recursive: true })
  return join(scratch, 'node_modules')
}
