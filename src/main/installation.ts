import { accessSync, constants, existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import {
  installationOf,
  type Installation,
  type InstallationFacts,
  type SingleFileTarget,
} from '../core/releases/installation.ts'
import { singleFile } from './single-file/executable.ts'

const DEBIAN_LISTS = '/var/lib/dpkg/info'

/** Detects from the location of the running program how it is upgraded. */
export function findInstallation(): Installation {
  return installationOf(installationFacts(packageDirectory(import.meta.dirname)))
}

/** Which archive of a release is for this machine. */
export function singleFileTarget(): SingleFileTarget {
  return `${process.platform === 'win32' ? 'win' : 'linux'}-${process.arch}`
}

/**
 * The program that a definition of a service names: a single file names itself. This folder is as deep in the package
 * as in a clone.
 */
export function entryScript(): string {
  return singleFile() ?? join(import.meta.dirname, `bin${extname(import.meta.filename)}`)
}

/** The facts from the directory with our `package.json`. */
export function installationFacts(directory: string, executable = singleFile()): InstallationFacts {
  const installed = executable ?? directory
  const debianPackage = debianPackageOf(installed)
  return {
    directory,
    ...(executable !== undefined && { singleFile: { path: executable, target: singleFileTarget() } }),
    platform: process.platform,
    container: existsSync('/.dockerenv') || existsSync('/run/.containerenv'),
    image: (process.env['TWINFOLD_IMAGE'] ?? '') !== '',
    clone: existsSync(join(directory, '.git')),
    ...(debianPackage !== undefined && { debianPackage }),
    project: existsSync(join(directory, '..', '..', 'package.json')),
    nodePrefix: nodePrefix(),
    writable: isWritable(dirname(installed)),
  }
}

/** The nearest parent with a `package.json`, at any depth of this file. */
function packageDirectory(start: string): string {
  let directory = realpathSync(start)
  while (!existsSync(join(directory, 'package.json')) && dirname(directory) !== directory)
    directory = dirname(directory)
  return directory
}

/** The package manager keeps a list of files for every package. */
function debianPackageOf(directory: string): string | undefined {
  if (!directory.startsWith('/usr/') && !directory.startsWith('/opt/')) return undefined
  try {
    const lists = readdirSync(DEBIAN_LISTS).filter((name) => /^twinfold[\w.+-]*(?::\w+)?\.list$/.test(name))
    const owner = lists.find((name) => readFileSync(join(DEBIAN_LISTS, name), 'utf8').split('\n').includes(directory))
    return owner?.replace(/(?::\w+)?\.list$/, '')
  } catch {
    return undefined // not Debian
  }
}

function nodePrefix(): string {
  const binaries = dirname(realpathSync(process.execPath))
  return process.platform === 'win32' ? binaries : dirname(binaries)
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK)
    return true
  } catch {
    return false
  }
}
