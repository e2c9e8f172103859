/** The whole image, every step of every stage, on a root file system of Debian's packages. */
import { rmSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ContainerMachine, missingMachines } from '../support/container-machine.ts'
import { checkOtherHome, checkService } from '../support/container-scene.ts'
import { parseContainerfile } from '../support/containerfile.ts'
import { copyDebianRoot, missingDebianRoot, npmOfThisMachine } from '../support/debian-root.ts'
import { buildStage } from '../support/image-build.ts'
import { scratchDirectory } from '../support/scratch.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const missing = missingMachines() ?? missingDebianRoot()

test('the image is built from the clone, and its container is as people expect it', { skip: missing }, async () => {
  using scratch = scratchDirectory()
  const { stages, settings } = parseContainerfile(readFileSync(join(ROOT, 'Containerfile'), 'utf8'))
  const { mounts, environment } = npmOfThisMachine()
  const rootOf = (stage: string) => join(scratch.path, `stage-${stage}`)
  for (const stage of stages) {
    const root = rootOf(stage.name)
    copyDebianRoot(root)
    await using machine = await ContainerMachine.start({ root, mounts, isOnline: true })
    await buildStage(stage, { machine, root, environment, fromStage: (name, path) => join(rootOf(name), path) })
  }
  for (const { name } of stages.slice(0, -1)) rmSync(rootOf(name), { recursive: true })
  const image = { root: rootOf(''), settings, mounts: {} }
  await checkOtherHome(image, scratch.path)
  await checkService(image, scratch.path)
})
