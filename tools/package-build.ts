import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { programManPage } from '../src/main/commands/man.ts'
import { bundle } from './bundle.ts'
import { writeDeclarations } from './declarations.ts'
import { buildGui } from './gui-build.ts'
import { noticesText, packagesOf, type BundledPackage } from './notices.ts'

export const NOTICES_FILE = 'THIRD-PARTY-NOTICES.txt'

/**
 * Everything of `dist/`: the program, the web page, the man page, declarations, and the licences of what is bundled.
 */
export async function buildPackage(target: string): Promise<readonly BundledPackage[]> {
  rmSync(target, { recursive: true, force: true })
  writeDeclarations(target)
  const program = await bundle(target)
  const page = await buildGui(join(target, 'gui'))
  chmodSync(join(target, 'main', 'bin.js'), 0o755)
  mkdirSync(join(target, 'man'))
  writeFileSync(join(target, 'man', 'twinfold.1'), programManPage())
  const packages = packagesOf([...program, ...page.modules])
  writeFileSync(join(target, NOTICES_FILE), noticesText(packages))
  return packages
}
