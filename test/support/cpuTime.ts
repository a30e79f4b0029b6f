/** The processor time of `run` in milliseconds, without other work on the machine. */
export const cpuMillis = (run: () => void): number => {
  const before = process.threadCpuUsage()
  run()
  const { system, user } = process.threadCpuUsage(before)
  return (system + user) / 1000
}
