
clamp_rows.o:	file format elf64-amdgpu

Disassembly of section .text:

0000000000000000 <clamp_rows>:
	s_load_dwordx2 s[6:7], s[4:5], 0x8                         // 000000000000: C0060182 00000008
	s_load_dwordx2 s[0:1], s[4:5], 0x0                         // 000000000008: C0060002 00000000
	v_lshlrev_b32_e32 v1, 2, v0                                // 000000000010: 24020082
	s_waitcnt lgkmcnt(0)                                       // 000000000014: BF8CC07F
	global_load_dword v2, v1, s[6:7]                           // 000000000018: DC508000 02060001
	v_mov_b32_e32 v1, 0                                        // 000000000020: 7E020280
	s_waitcnt vmcnt(0)                                         // 000000000024: BF8C0F70
	v_cmp_lt_i32_e32 vcc, -1, v2                               // 000000000028: 7D8204C1
	s_and_saveexec_b64 s[2:3], vcc                             // 00000000002C: BE82206A
	s_xor_b64 s[2:3], exec, s[2:3]                             // 000000000030: 8882027E
	s_cbranch_execz 7                                          // 000000000034: BF880007 <clamp_rows+0x54>
	v_mov_b32_e32 v3, 0x4000                                   // 000000000038: 7E0602FF 00004000
	v_add_u32_e32 v2, -7, v2                                   // 000000000040: 680404C7
	v_lshl_or_b32 v3, v0, 2, v3                                // 000000000044: D2000003 040D0500
	global_store_dword v3, v2, s[0:1]                          // 00000000004C: DC708000 00000203
	s_or_saveexec_b64 s[2:3], s[2:3]                           // 000000000054: BE822102
	s_load_dword s8, s[4:5], 0x10                              // 000000000058: C0020202 00000010
	s_xor_b64 exec, exec, s[2:3]                               // 000000000060: 88FE027E
	s_cbranch_execz 20                                         // 000000000064: BF880014 <clamp_rows+0xb8>
	v_lshlrev_b64 v[3:4], 2, v[0:1]                            // 000000000068: D28F0003 00020082
	v_mov_b32_e32 v5, s7                                       // 000000000070: 7E0A0207
	v_add_co_u32_e32 v3, vcc, s6, v3                           // 000000000074: 32060606
	v_addc_co_u32_e32 v4, vcc, v5, v4, vcc                     // 000000000078: 38080905
	s_mov_b64 s[4:5], 0                                        // 00000000007C: BE840180
	v_mov_b32_e32 v6, s5                                       // 000000000080: 7E0C0205
	v_add_co_u32_e32 v5, vcc, s4, v3                           // 000000000084: 320A0604
	v_addc_co_u32_e32 v6, vcc, v4, v6, vcc                     // 000000000088: 380C0D04
	global_load_dword v5, v[5:6], off                          // 00000000008C: DC508000 057F0005
	v_mul_lo_u32 v2, v2, 3                                     // 000000000094: D2850002 00010702
	s_add_u32 s4, s4, 0x100                                    // 00000000009C: 8004FF04 00000100
	s_addc_u32 s5, s5, 0                                       // 0000000000A4: 82058005
	s_cmpk_eq_i32 s4, 0x500                                    // 0000000000A8: B1040500
	s_waitcnt vmcnt(0)                                         // 0000000000AC: BF8C0F70
	v_add_u32_e32 v2, v5, v2                                   // 0000000000B0: 68040505
	s_cbranch_scc0 65522                                       // 0000000000B4: BF84FFF2 <clamp_rows+0x80>
	s_or_b64 exec, exec, s[2:3]                                // 0000000000B8: 87FE027E
	s_waitcnt lgkmcnt(0)                                       // 0000000000BC: BF8CC07F
	s_cmp_lt_i32 s8, 5                                         // 0000000000C0: BF048508
	s_cbranch_scc1 7                                           // 0000000000C4: BF850007 <clamp_rows+0xe4>
	v_mov_b32_e32 v3, 0x8000                                   // 0000000000C8: 7E0602FF 00008000
	v_lshl_or_b32 v3, v0, 2, v3                                // 0000000000D0: D2000003 040D0500
	v_mov_b32_e32 v4, s8                                       // 0000000000D8: 7E080208
	global_store_dword v3, v4, s[0:1]                          // 0000000000DC: DC708000 00000403
	v_lshlrev_b64 v[0:1], 2, v[0:1]                            // 0000000000E4: D28F0000 00020082
	v_mov_b32_e32 v3, s1                                       // 0000000000EC: 7E060201
	v_add_co_u32_e32 v0, vcc, s0, v0                           // 0000000000F0: 32000000
	v_addc_co_u32_e32 v1, vcc, v3, v1, vcc                     // 0000000000F4: 38020303
	global_store_dword v[0:1], v2, off                         // 0000000000F8: DC708000 007F0200
	s_endpgm                                                   // 000000000100: BF810000
