/** Somewhere that takes lines of text: a log, an audit trail. */
export interface LineSink extends Disposable {
  /** Adds one line, its end included by us. Throws with the system's code when it cannot be kept. */
  write(line: string): void
}

export interface LineFileOptions {
  /** A new file is begun beyond this size; 0 never. */
  readonly sizeBytesMax: number
  /** Old files kept beside it, named `name.0.ext` (the newest) and up. */
  readonly oldFilesMax: number
}

export interface Lines {
  /** `-` is standard output, `--` standard error, anything else a file, made readable by its owner only. */
  open(path: string, options: LineFileOptions): LineSink
}
