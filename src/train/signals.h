// Ctrl-C and its kin while a training runs: the first signal asks for an orderly
// end, the second is the system's again and ends the process at once.
#ifndef SLI_TRAIN_SIGNALS_H_
#define SLI_TRAIN_SIGNALS_H_

// From now on SIGINT and SIGTERM are noted, unless the program handles or ignores them itself. A former signal is
// forgotten. One thread at a time, for these two.
void sli_signals_watch(void);
// Gives the signals back to who had them. Without a watch, nothing.
void sli_signals_unwatch(void);
// The signal that came; 0 for none. Any thread.
int sli_signals_caught(void);

#endif  // SLI_TRAIN_SIGNALS_H_
