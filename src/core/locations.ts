/** In the directory of `config.xml`, while a daemon runs at another address than the configured one. */
export const ADDRESS_FILE = 'twinfold-address.json'

/** Paths of the files of one device. */
export interface Locations {
  readonly configDirectory: string
  readonly dataDirectory: string
  readonly userHome: string
  readonly configFile: string
  /** The settings that Syncthing does not have. */
  readonly extensionsFile: string
  /** Keys of programs and users of the page. */
  readonly grantsFile: string
  /** Open invitations, and those of other devices that are used. */
  readonly invitationsFile: string
  readonly appliedSetupFile: string
  /** The address of the running daemon, where it is not the configured one. */
  readonly addressFile: string
  readonly certificateFile: string
  readonly keyFile: string
  readonly httpsCertificateFile: string
  readonly httpsKeyFile: string
  readonly databaseDirectory: string
  /** The lists of files that other devices have deleted and that stay here. */
  readonly keptDirectory: string
  readonly lockFile: string
  readonly guiAssetsDirectory: string
  readonly defaultFolder: string
  /** `-` is standard output. */
  readonly logFile: string
}
