package verifier

// The files of the verifier's folder that are read. All others are kept and never parsed.
const (
	RewardJSONName = "reward.json"         // read first (Harbor 0.7.0 and later)
	RewardTXTName  = "reward.txt"          // read only when there is no reward.json
	DetailsName    = "reward-details.json" // as Reward Kit writes it
	ContractName   = "contract.json"
)

// Where a producer of rewards declares the version of the contract that it keeps to. These names are ours, since none is
// public; another would be added here.
const (
	ContractKey      = "rewards"                          // in contract.json
	ContractMetadata = "[metadata.eval] rewards_contract" // in task.toml
)

// RewardKey is the key of reward.json that is the score itself.
const RewardKey = "reward"

// The most that is read. Beyond it a reward file breaks rule "size", and details count as unreadable.
const (
	MaxRewardBytes   = 1 << 20
	MaxRewardKeys    = 1000
	MaxKeyBytes      = 128
	MaxDetailsBytes  = 8 << 20
	MaxContractBytes = 64 << 10
	MaxReasoning     = 64 << 10 // bytes of one criterion's reasoning or error
)

// knownContract tells whether this program knows a version of the rewards contract.
func knownContract(version int) bool { return version == 1 }

const (
	defaultContract   = 1
	knownContractText = "1"
)
