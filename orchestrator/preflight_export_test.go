package orchestrator

// WarnLoose warns of limits that do not hold.
var WarnLoose = warnLoose
