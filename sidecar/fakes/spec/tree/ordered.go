package tree

import (
	"bytes"
	"encoding/json"

	"github.com/seatrial/seatrial/sidecar/fakes/format"
)

// JSON gives the node as JSON on one line, with the members of objects in the order of the document.
func (n *Node) JSON() json.RawMessage {
	var b bytes.Buffer
	n.write(&b)
	return b.Bytes()
}

func (n *Node) write(b *bytes.Buffer) {
	switch n.Kind {
	case List:
		b.WriteByte('[')
		for i, item := range n.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.write(b)
		}
		b.WriteByte(']')
	case Table:
		b.WriteByte('{')
		for i, name := range n.Names {
			if i > 0 {
				b.WriteByte(',')
			}
			b.Write(format.Canonical(name))
			b.WriteByte(':')
			n.members[name].write(b)
		}
		b.WriteByte('}')
	default:
		b.Write(format.Canonical(n.Scalar))
	}
}
