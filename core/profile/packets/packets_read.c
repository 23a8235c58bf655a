/* From bytes to packets. */
#include <string.h>

#include "profile/packets/packets.h"

static uint64_t low_first(const uint8_t *data, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)data[i] << 8 * i;
    return value;
}

static unsigned highest_bit(uint64_t value) {
    unsigned bit = 0;
    while (value >>= 1)
        bit++;
    return bit;
}

/* payload: outcomes after a stop bit. */
static struct packet outcomes(uint64_t payload, unsigned length) {
    if (payload < 2)
        return (struct packet){.kind = PACKET_UNKNOWN};
    const unsigned count = highest_bit(payload);
    return (struct packet){.kind = PACKET_TNT,
                           .length = length,
                           .outcomes = payload ^ UINT64_C(1) << count,
                           .count = count};
}

size_t packets_find_psb(const uint8_t *data, size_t length) {
    static const uint8_t psb[16] = {2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82,
                                    2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82};
    for (size_t i = 0; i + sizeof psb <= length; i++)
        if (memcmp(data + i, psb, sizeof psb) == 0)
            return i;
    return length;
}

static struct packet read_extended(const uint8_t *data, size_t length) {
    if (length >= 8 && data[1] == 0xA3)
        return outcomes(low_first(data + 2, 6), 8);
    if (length >= 2 && data[1] == 0x23)
        return (struct packet){.kind = PACKET_PSBEND, .length = 2};
    if (length >= 16 && packets_find_psb(data, 16) == 0)
        return (struct packet){.kind = PACKET_PSB, .length = 16};
    return (struct packet){.kind = PACKET_UNKNOWN};
}

/* Upper bytes that are omitted are those of the last address. */
static struct packet read_address(enum packet_kind kind, const uint8_t *data, size_t length,
                                  uint32_t *last_address) {
    static const unsigned sizes[8] = {0, 2, 4, 6, 6, 0, 8, 0};
    const unsigned size = sizes[data[0] >> 5];
    if (length < 1 + size || data[0] >> 5 == 5 || data[0] >> 5 == 7)
        return (struct packet){.kind = PACKET_UNKNOWN};
    const uint32_t payload = (uint32_t)low_first(data + 1, size < 4 ? size : 4);
    struct packet p = {.kind = kind, .length = 1 + size, .suppressed = size == 0};
    if (size == 2)
        *last_address = (*last_address & 0xFFFF0000) | payload;
    else if (size > 2)
        *last_address = payload;
    p.address = *last_address;
    return p;
}

struct packet packet_read(const uint8_t *data, size_t length, uint32_t *last_address) {
    if (length == 0)
        return (struct packet){.kind = PACKET_UNKNOWN};
    if (data[0] == 0x02)
        return read_extended(data, length);
    if (data[0] == 0x99)
        return length < 2 ? (struct packet){.kind = PACKET_UNKNOWN}
                          : (struct packet){.kind = PACKET_MODE, .length = 2};
    if ((data[0] & 1) == 0)
        return outcomes(data[0] >> 1, 1);
    switch (data[0] & 0x1F) {
    case 0x0D:
        return read_address(PACKET_TIP, data, length, last_address);
    case 0x11:
        return read_address(PACKET_PGE, data, length, last_address);
    case 0x01:
        return read_address(PACKET_PGD, data, length, last_address);
    case 0x1D:
        return read_address(PACKET_FUP, data, length, last_address);
    default:
        return (struct packet){.kind = PACKET_UNKNOWN};
    }
}
